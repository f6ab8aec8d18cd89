// Thrown for a task that cannot be run: the client gets a 400. A failure while a task runs is a result, not an error.

export class TaskError extends Error {}
