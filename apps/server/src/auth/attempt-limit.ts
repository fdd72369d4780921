/**
 * A limit on wrong codes, per person.
 *
 * - `check(who)` throws `too_many_attempts` after ten wrong ones in ten minutes; `count(who)` counts one.
 */
import type { Clock } from "@devflow/core/clock";
import { DevflowError } from "@devflow/core/errors";

const most = 10;
const windowMs = 10 * 60_000;

export function attemptLimit(clock: Clock) {
  const wrong = new Map<string, number[]>();
  const recent = (who: string) => (wrong.get(who) ?? []).filter((at) => clock.now() - at < windowMs);
  return {
    check(who: string): void {
      if (recent(who).length >= most) throw new DevflowError("too_many_attempts");
    },
    count(who: string): void {
      if (wrong.size > 10_000) wrong.clear();
      wrong.set(who, [...recent(who), clock.now()]);
    },
  };
}
