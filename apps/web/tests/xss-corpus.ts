/** Texts that become code wherever a page forgets that they are text. Each would set `window.pwned` or call out. */
export const hostileTexts: readonly string[] = [
  "<script>window.pwned=1</script>",
  '"><img src=x onerror="window.pwned=1">',
  "<svg onload=window.pwned=1>",
  "javascript:window.pwned=1",
  "'-window.pwned=1-'",
  "{{constructor.constructor('window.pwned=1')()}}",
  "<iframe srcdoc='<script>parent.pwned=1</script>'></iframe>",
  "<style>*{background:url(http://127.0.0.1:9/leak)}</style>",
  "</title><script>window.pwned=1</script>",
  '<a href="javascript:window.pwned=1">x</a>',
  "__proto__",
  "<!--<img src=x onerror=window.pwned=1>-->",
  "&lt;b&gt; &#x3C;script&#x3E;",
  "\u202Etxt.exe\u202C right to left",
];
