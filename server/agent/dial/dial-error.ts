// Thrown when the task (the description of a dial test) cannot be run. The client then gets the status 400. A test that
// runs and fails is no error, but a result.

export class TaskError extends Error {}
