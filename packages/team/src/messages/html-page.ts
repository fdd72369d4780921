/**
 * A mail as HTML. Mail programs use no style sheet, so styles are on the elements.
 *
 * - `htmlPage(title, body)` the whole page; the body is HTML, the title is text.
 */
import { htmlText } from "./message.ts";

export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${htmlText(title)}</title></head>
<body style="margin:0;background:#f4f4f5;color:#18181b;font:15px/1.5 system-ui,sans-serif">
<div style="max-width:640px;margin:0 auto;padding:24px;background:#ffffff;overflow-wrap:anywhere">
<h1 style="font-size:20px;line-height:1.3;margin:0 0 16px">${htmlText(title)}</h1>
${body}
</div></body></html>
`;
}
