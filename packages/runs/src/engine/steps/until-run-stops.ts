/**
 * When a command of a run has to end before it is done.
 *
 * - `untilRunStops(context, run, woken)` a signal that aborts when the driver stops, or when the run was paused, ended or taken by
 *   another driver. Everything else that wakes a run, such as a lane that ends or an event of its parent, must not end its command:
 *   it would be run again from its beginning, each time.
 */
import type { DriverContext } from "../context.ts";
import type { RunRow } from "../rows.ts";

/** After the first wake the run is looked at now and then: a second wake is not heard. */
const lookEveryMs = 1_000;

export function untilRunStops(
  { database, stopping, epoch }: DriverContext,
  run: Pick<RunRow, "id" | "state">,
  woken: AbortSignal,
): { readonly signal: AbortSignal; release(): void } {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async (): Promise<void> => {
    const [row] = await database
      .asEngine(
        (tx) => tx<{ state: string; epoch: number }[]>`
          select state, driver_epoch::float8 as epoch from app.runs where id = ${run.id}`,
      )
      .catch(() => [{ state: run.state, epoch }]);
    if (row?.state !== run.state || row.epoch !== epoch) ended.abort("the run changed");
    else if (!ended.signal.aborted) timer = setTimeout(() => void look(), lookEveryMs);
  };
  const begin = () => void look();
  if (woken.aborted) begin();
  else woken.addEventListener("abort", begin, { once: true });
  return {
    signal: AbortSignal.any([stopping, ended.signal]),
    release() {
      woken.removeEventListener("abort", begin);
      ended.abort("done");
      clearTimeout(timer);
    },
  };
}
