export const counted = (count: number, noun: string, several = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : several}`;

export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
