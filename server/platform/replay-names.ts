// Ids of session replays and of their parts. They are names of files, so each id is checked before it becomes one.

export const sessionShape = /^[0-9A-Za-z][0-9A-Za-z_-]{0,127}$/;
export const partShape = /^[0-9a-f]{32}$/;
