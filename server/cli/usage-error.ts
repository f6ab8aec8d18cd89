// An error: a mistake of the user on the command line or in the input. The command prints the message without a stack
// trace and exits with code 1.

export class UsageError extends Error {}
