/**
 * What a page shows without words: drawings, media, and changes of style. Runs in the isolated world of every frame and is
 * sent as text, like page-world.ts.
 *
 * - `onMutations(records, version)` notes which attributes changed.
 * - `touched()` the last of them; `looks()` a fingerprint of each canvas and the state of each video and audio element.
 */
export interface Looks {
  onMutations(records: readonly MutationRecord[], version: number): void;
  touched(): readonly { readonly version: number; readonly what: string }[];
  looks(): readonly { readonly what: string; readonly state: string }[];
}

export function looksOfPage(): Looks {
  const mostTouched = 3;
  const mostSeen = 4;
  /** Pixels on a side of the copy that is compared. */
  const size = 64;
  const mostValue = 30;
  const kept: { version: number; of: string; was: string | null; what: string }[] = [];
  let copy: CanvasRenderingContext2D | null | undefined;
  const nameOf = (element: Element): string => {
    const id = element.id ? `#${element.id}` : "";
    const first = element.classList[0];
    return `<${element.localName}${id}${first ? `.${first}` : ""}>`;
  };

  /** Whether a switch that a page draws itself is on is often a class or a `data-state`. */
  function difference(name: string, was: string | null, is: string | null): string {
    if (name === "class") {
      const [before, after] = [was, is].map((value) => new Set((value ?? "").split(/\s+/).filter(Boolean)));
      const came = [...after!].filter((one) => !before!.has(one)).map((one) => `+${one}`);
      const went = [...before!].filter((one) => !after!.has(one)).map((one) => `-${one}`);
      const all = [...came, ...went].join(" ");
      return all.length > 2 * mostValue ? "" : ` ${all}`.trimEnd();
    }
    if (!/^(aria|data)-/.test(name) || Math.max(was?.length ?? 0, is?.length ?? 0) > mostValue) return "";
    return ` ${JSON.stringify(was ?? "")} → ${JSON.stringify(is ?? "")}`;
  }

  /** Drawings of other origins and some 3D drawings cannot be read. */
  function fingerprint(canvas: HTMLCanvasElement): string {
    const own = document.createElement("canvas");
    own.width = size;
    own.height = size;
    copy ??= own.getContext("2d", { willReadFrequently: true });
    try {
      copy?.clearRect(0, 0, size, size);
      copy?.drawImage(canvas, 0, 0, size, size);
      let hash = 0;
      for (const value of copy?.getImageData(0, 0, size, size).data ?? []) hash = (hash * 31 + value) | 0;
      return String(hash);
    } catch {
      return "unreadable";
    }
  }

  return {
    onMutations(records, version) {
      for (const { type, target, attributeName, oldValue } of records) {
        if (type !== "attributes" || attributeName === null) continue;
        const of = `${attributeName} of ${nameOf(target as Element)}`;
        const at = kept.findIndex((one) => one.of === of);
        const [known] = at >= 0 ? kept.splice(at, 1) : [];
        // Of the same moment: what it was before all of it.
        const was = known?.version === version ? known.was : oldValue;
        const what = `${of}${difference(attributeName, was, (target as Element).getAttribute(attributeName))}`;
        kept.push({ version, of, was, what });
        if (kept.length > mostTouched) kept.shift();
      }
    },
    touched: () => kept.map(({ version, what }) => ({ version, what })),
    looks: () => [
      ...[...document.querySelectorAll("canvas")].slice(0, mostSeen).map((canvas) => ({
        what: nameOf(canvas),
        state: canvas.width * canvas.height > 0 ? fingerprint(canvas) : "",
      })),
      ...[...document.querySelectorAll<HTMLMediaElement>("video,audio")].slice(0, mostSeen).map((media) => ({
        what: nameOf(media),
        state: [
          media.paused ? "paused" : "playing",
          ...(media.muted ? ["muted"] : []),
          `volume ${media.volume}`,
          // A playing video moves on by itself; only jumps of a paused one count.
          ...(media.paused ? [`at ${media.currentTime.toFixed(1)} s`] : []),
        ].join(", "),
      })),
    ],
  };
}
