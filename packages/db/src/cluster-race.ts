/**
 * Roles belong to the whole cluster, and no lock does: two databases that make or alter the same role at once meet in
 * errors like "tuple concurrently updated".
 *
 * - `retryClusterRace(work)` does it again when that is what happened.
 */
export async function retryClusterRace<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string };
      const isRace = code === "23505" || code === "42710" || /concurrently (updated|deleted)/.test(message ?? "");
      if (!isRace || attempt >= 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20 * attempt));
    }
  }
}
