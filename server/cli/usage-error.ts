// Thrown for a mistake of the user on the command line or in the input. The command prints the error's message without
// a stack trace and exits with code 1.

export class UsageError extends Error {}
