/** Finds embedded images and players. */
const markup = /!\[[^[\]\n]{0,2000}\]\([^()\n]{1,4000}\)|<(?:img|video|audio|iframe|embed)\b/giu;
const playerLine =
  /^[ \t<]*https?:\/\/(?:www\.|m\.|player\.|mobile\.)?(?:youtube\.com\/(?:watch|embed|shorts)|youtu\.be\/|vimeo\.com\/|x\.com\/[^/\s]+\/status\/|twitter\.com\/[^/\s]+\/status\/)\S*[ \t>]*$/iu;
const longestAddress = 2_000;

export function countEmbeds(text: string): number {
  let found = 0;
  for (const _ of text.matchAll(markup)) found += 1;
  for (const line of text.split("\n")) if (line.length <= longestAddress && playerLine.test(line)) found += 1;
  return found;
}
