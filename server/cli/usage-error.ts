// A mistake on the command line or in its input: told without a stack, exit code 1.

export class UsageError extends Error {}
