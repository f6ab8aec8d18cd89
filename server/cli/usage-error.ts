// A mistake on the command line or in its input. The program prints the message without a stack and exits with code
// 1.

export class UsageError extends Error {}
