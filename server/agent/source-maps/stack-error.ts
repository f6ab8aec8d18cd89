// The error that is thrown when an error stack cannot be resolved. Its message is written for the client.

export class StackError extends Error {}
