export async function exportPoints(_args: string[]): Promise<number> {
  return 2;
}
