/**
 * One line per step with its duration. A step without work is not announced, so a second start prints nothing.
 *
 * - `createProgress(stream)` → `step(label, work)`; on a terminal the seconds count up in place, elsewhere a line is printed
 *   every 20 s.
 */

/** @param {NodeJS.WriteStream} stream */
export function createProgress(stream) {
  return {
    /**
     * @template T
     * @param {string} label
     * @param {() => Promise<T>} work
     */
    async step(label, work) {
      const started = Date.now();
      const seconds = () => ((Date.now() - started) / 1000).toFixed(1);
      const live = stream.isTTY === true;
      if (live) stream.write(`  ${label} …`);
      else stream.write(`  ${label} …\n`);
      const timer = setInterval(
        () => stream.write(live ? `\r\x1b[K  ${label} … ${Math.round(Number(seconds()))} s` : `  … ${seconds()} s\n`),
        live ? 1_000 : 20_000,
      );
      timer.unref();
      try {
        const result = await work();
        stream.write(`${live ? "\r\x1b[K" : ""}  ${label}: done in ${seconds()} s\n`);
        return result;
      } catch (error) {
        stream.write(`${live ? "\r\x1b[K" : ""}  ${label}: failed after ${seconds()} s\n`);
        throw error;
      } finally {
        clearInterval(timer);
      }
    },
  };
}
