// The error thrown when an error stack cannot be resolved. Its message is worded for the client.

export class StackError extends Error {}
