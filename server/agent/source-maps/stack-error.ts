// The reason why a stack could not be resolved, worded for the client.

export class StackError extends Error {}
