// A task that cannot be run: the 400 of the interface. What fails while it runs is a result, not an error.

export class TaskError extends Error {}
