// Why a stack could not be resolved, in the words of the interface.

export class StackError extends Error {}
