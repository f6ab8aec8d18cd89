// placeholder
export function startFast(): void {}
export function parseFast(batch: usize, line: usize, end: usize): usize { return 0; }
