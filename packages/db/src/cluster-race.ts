/**
 * Roles belong to the whole cluster, and no lock does: two databases that create or alter the same role at once get errors
 * like "tuple concurrently updated".
 *
 * - `retryClusterRace(work)` retries after such an error.
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
