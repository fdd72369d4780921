/**
 * Whether an element can be acted on, and where to press it. Runs in the isolated world of every frame and is sent as text, like
 * page-world.ts.
 *
 * - `pressing(parts)` gives these:
 * - `readiness(ref, options)` whether it can be acted on; scrolls it into view and prepares a press on it, as wanted.
 * - `passage(into, point)` prepares a press that goes into a frame; `landed()` what the prepared press reached.
 * - `labelToPress(ref)` the label through which a hidden field is used.
 * - `barrierTo(element)` what keeps a pointer from it; `noteStationary(element)` remembers where it is.
 */
import type { fieldFace } from "./field-face.ts";
import type { HitCheck, hitCheck } from "./hit-check.ts";
import type { OpenedBy } from "./opened-by.ts";
import type { Landing, PageAnswers, PageRef, Point, Readiness } from "./questions.ts";

export interface PressParts {
  readonly opened: OpenedBy;
  find(ref: PageRef): Element | undefined;
  refOf(element: Element): PageRef;
  parentOf(element: Element): Element | null;
  within(inner: Element | null, outer: Element): boolean;
  isSecret(element: Element): boolean;
  describe(element: Element): string;
  /** What is pressed for a hidden field, and the field that is chosen by it. */
  labelFor(field: Element): Element | undefined;
  fieldOf(element: Element): HTMLInputElement | undefined;
  /** Focuses a text field and selects its value; false where it cannot. */
  selectValue(element: Element | undefined): boolean;
  readonly hitCheck: typeof hitCheck;
  readonly fieldFace: typeof fieldFace;
  versionNow(): number;
}

export interface PressOptions {
  /** Into view first, since only there the hit test works. */
  readonly scroll: boolean;
  /** The answer has the point to press, and the press cannot reach anything else. */
  readonly press?: boolean;
  readonly select?: boolean;
  readonly at?: Point;
  /** The answer has its words. */
  readonly words?: boolean;
}

/** Scrolling brings it back where a list scrolls, and not where a container just cuts it off. */
export interface Barrier {
  readonly cover?: Element;
  /** It is what a field shows of itself. */
  readonly isFace?: true;
  readonly clip?: "scrolls" | "cuts";
}

export interface Pressing {
  readiness(ref: PageRef, options: PressOptions): Readiness;
  passage(into: PageRef, point: Point): PageAnswers["passage"];
  landed(isHeld?: boolean): Landing;
  labelToPress(ref: PageRef): PageRef | null;
  barrierTo(element: Element): Barrier;
  noteStationary(element: Element): void;
}

export function pressing(parts: PressParts): Pressing {
  const { find, refOf, parentOf, within, isSecret, describe, selectValue } = parts;
  const { opensList, opensCalendar } = parts.opened;
  const topmostAt = (x: number, y: number): Element | null => {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };
  /** The middle of what is in view of it, or a given place in it; undefined when that is out of view. */
  function pointOn(element: Element, at?: Point): Point | undefined {
    const box = element.getBoundingClientRect();
    if (at) return inViewport({ x: box.x + at.x, y: box.y + at.y });
    const { left, top, right, bottom } = element.getClientRects()[0] ?? box;
    const [from, to] = [Math.max(left, 0), Math.min(right, innerWidth)];
    const [above, below] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
    return from >= to || above >= below ? undefined : inViewport({ x: (from + to) / 2, y: (above + below) / 2 });
  }
  /** The middle of a curve may be beside it, and the words on a shape are often drawn over its middle. */
  function placeOnShape(element: Element): Point | undefined {
    if (!(element instanceof SVGGeometryElement)) return undefined;
    const parts = [0.5, 0.3, 0.7, 0.15, 0.85];
    const { x, y, width, height } = element.getBoundingClientRect();
    for (const down of parts) {
      for (const across of parts) {
        const point = inViewport({ x: x + width * across, y: y + height * down });
        const hit = hitAt(point);
        if (hit && countsAs(hit, element)) return point;
      }
    }
    return undefined;
  }
  const inViewport = (point: Point): Point | undefined =>
    point.x < 0 || point.y < 0 || point.x >= innerWidth || point.y >= innerHeight ? undefined : point;
  const hitAt = (point: Point | undefined) => point && topmostAt(point.x, point.y);
  /** A container around it does not show this point. */
  function clipAt({ x, y }: Point, element: Element): Barrier["clip"] {
    let isCut = false;
    for (let at = parentOf(element); at && at !== document.body && at !== document.documentElement; at = parentOf(at)) {
      const { overflow } = getComputedStyle(at);
      if (overflow === "visible") continue;
      const { left, top, right, bottom } = at.getBoundingClientRect();
      if (x >= left && x <= right && y >= top && y <= bottom) continue;
      if (/auto|scroll/.test(overflow)) return "scrolls";
      isCut = true;
    }
    return isCut ? "cuts" : undefined;
  }
  const { isFaceOf } = parts.fieldFace(parentOf);
  /** Whether clicking `hit` clicks the element: it is inside the element or its label. */
  function isPartOf(hit: Element, element: Element): boolean {
    const labels = (element as HTMLInputElement).labels;
    // The areas of an image map are not inside its image.
    if (hit.localName === "area" && element.matches("[usemap]")) return true;
    return within(hit, element) || (labels !== null && [...(labels ?? [])].some((label) => within(hit, label)));
  }
  const countsAs = (hit: Element, element: Element): boolean =>
    isPartOf(hit, element) || (!within(element, hit) && isFaceOf(hit, element));
  function barrierTo(element: Element): Barrier {
    const point = pointOn(element);
    const hit = hitAt(point);
    if (!point || !hit || isPartOf(hit, element)) return {};
    const clip = clipAt(point, element);
    if (clip) return { clip };
    if (within(element, hit) || placeOnShape(element)) return {};
    return { cover: hit, ...(isFaceOf(hit, element) && { isFace: true as const }) };
  }

  /** Rendered frames, counted for a moment after each read. */
  let frames = 0;
  let framesToCount = 0;
  const countFrame = () => {
    frames += 1;
    framesToCount -= 1;
    if (framesToCount > 0) requestAnimationFrame(countFrame);
  };
  /** Each element's position and since which frame; unchanged for two frames means stationary. */
  const places = new WeakMap<Element, { readonly place: string; readonly since: number }>();
  function isStationary(element: Element): boolean {
    const { x, y, width, height } = element.getBoundingClientRect();
    const place = `${x} ${y} ${width} ${height}`;
    const known = places.get(element);
    if (framesToCount <= 0) requestAnimationFrame(countFrame);
    framesToCount = 3;
    if (known?.place === place) return frames >= known.since + 2;
    places.set(element, { place, since: frames });
    return false;
  }

  /**
   * Whether it can be acted on. `scroll` scrolls it into view first, since only there the hit test works. `press` prepares
   * a press on it: the answer has the point to press, and the press cannot reach anything else.
   */
  function readiness(ref: string, { scroll, press, select, at, words }: PressOptions) {
    const element = find(ref);
    if (!element) return { live: false };
    const first = pointOn(element, at);
    const isOut = !first || !isMiddleInView(element) || clipAt(first, element) !== undefined;
    const mayScroll = scroll && (isOut || isUnderBar(first, element));
    if (mayScroll) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const usual = mayScroll ? pointOn(element, at) : first;
    const onShape = at === undefined ? placeOnShape(element) : undefined;
    // What is dropped goes to the middle.
    const point = (press ? onShape : undefined) ?? usual;
    const hit = hitAt(point);
    const isHit = !!hit && countsAs(hit, element);
    const cover = !hit || isHit || onShape || within(element, hit) ? undefined : hit;
    const { width, height } = element.getBoundingClientRect();
    const hidden = !element.checkVisibility({ visibilityProperty: true }) || width === 0 || height === 0;
    const drawnFor = parts.fieldOf(element);
    const isOff = element.matches(":disabled") || drawnFor?.disabled === true;
    const disabled = isOff || element.closest('[aria-disabled="true"]') !== null;
    const isStill = isStationary(element);
    const ready = isStill && !hidden && !disabled && isHit;
    if (ready && press) check.arm(element);
    // What was prepared and never came must not keep another press from the page.
    else check.disarm();
    const leaving = ready && press ? hoveredBeside(element) : undefined;
    return {
      live: true,
      kind: (element as HTMLInputElement).type,
      placeholder: (element as HTMLInputElement).placeholder,
      secret: isSecret(element),
      ...(opensList(element) && { opens: true as const }),
      hidden,
      disabled,
      ...((element as HTMLInputElement).readOnly && { readOnly: true as const }),
      ...(opensCalendar(element) && { hasCalendar: true as const }),
      ready,
      ...(drawnFor && { choice: drawnFor.checked }),
      ...(isHit && !within(hit, element) && { beside: true as const }),
      ...(words && { words: describe(element) }),
      ...(leaving && { leaving }),
      ...(select && !hidden && !disabled && { selected: selectValue(element) }),
      ...(point && { point }),
      ...(at &&
        !isHit &&
        isOutside(at, element) && { outside: { width: Math.round(width), height: Math.round(height) } }),
      ...(cover && { cover: describe(cover), coverRef: refOf(cover) }),
    };
  }
  /**
   * Where the mouse is, if it is on the same menu, beside the element. A menu that opened under the mouse often ignores it until it
   * moves, and then takes it to be where it was.
   */
  function hoveredBeside(element: Element): Point | undefined {
    if (element.matches(":hover")) return undefined;
    for (let at: Element | null = element; at && at !== document.body; at = parentOf(at)) {
      // The functions of a form may be hidden by its fields.
      if (
        at instanceof HTMLFormElement ||
        !at.matches(":hover") ||
        !/^(absolute|fixed)$/.test(getComputedStyle(at).position)
      )
        continue;
      const { width, height } = at.getBoundingClientRect();
      const isMenu = width * height < (innerWidth * innerHeight) / 2 && !at.querySelector("input,select,textarea");
      const box = isMenu ? [...at.querySelectorAll(":hover")].at(-1)?.getBoundingClientRect() : undefined;
      return box && inViewport({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
    }
    return undefined;
  }
  /** Headers and footers that stay while the page scrolls leave its middle free; a dialog or its backdrop does not. */
  function isUnderBar(point: Point, element: Element): boolean {
    const hit = hitAt(point);
    if (!hit || countsAs(hit, element) || within(element, hit)) return false;
    for (let at: Element | null = hit; at; at = parentOf(at)) {
      if (!/^(fixed|sticky)$/.test(getComputedStyle(at).position)) continue;
      if (within(element, at)) return false;
      const { left, top, right, bottom } = at.getBoundingClientRect();
      return left > innerWidth / 2 || right < innerWidth / 2 || top > innerHeight / 2 || bottom < innerHeight / 2;
    }
    return false;
  }
  /** What is inside an element may reach beyond its box, so this matters only where the point does not hit it. */
  function isOutside({ x, y }: Point, element: Element): boolean {
    const { width, height } = element.getBoundingClientRect();
    return x < 0 || y < 0 || x >= width || y >= height;
  }
  function isMiddleInView(element: Element): boolean {
    const box = element.getBoundingClientRect();
    return inViewport({ x: box.left + box.width / 2, y: box.top + box.height / 2 }) !== undefined;
  }
  /** The press may only go into this frame. */
  function passage(into: string, point: Point): PageAnswers["passage"] {
    const owner = find(into);
    if (!owner || !inViewport(point)) return { outside: true };
    const hit = hitAt(point);
    if (!hit || !countsAs(hit, owner)) return hit ? { cover: describe(hit), coverRef: refOf(hit) } : { outside: true };
    check.arm(owner);
    return {};
  }
  function landed(isHeld = false) {
    const { landed: where, on, strayed } = check.disarm(isHeld);
    // The words of the whole page tell nothing.
    const nameOf = (hit: Element) => (hit.matches("html,body") ? `<${hit.localName}>` : describe(hit));
    return {
      landed: where,
      ...(on && { on: describe(on), onRef: refOf(on) }),
      ...(strayed && { strayed: { isIdle: strayed.isIdle, ...(strayed.on && { on: nameOf(strayed.on) }) } }),
    };
  }

  /** Many pages hide a checkbox and draw one of their own in its label. */
  function labelToPress(ref: string): string | null {
    const field = find(ref);
    if (!(field instanceof HTMLInputElement)) return null;
    const isSeen = (element: Element): boolean => {
      const { width, height } = element.getBoundingClientRect();
      return element.checkVisibility({ visibilityProperty: true }) && width > 1 && height > 1;
    };
    const hit = isSeen(field) ? hitAt(pointOn(field)) : undefined;
    if (hit && countsAs(hit, field)) return null;
    const label = parts.labelFor(field) ?? [...(field.labels ?? [])].find(isSeen);
    return label ? refOf(label) : null;
  }
  const check: HitCheck = parts.hitCheck(countsAs, parts.versionNow);
  return { readiness, passage, landed, labelToPress, barrierTo, noteStationary: isStationary };
}
