/**
 * The pages of the browse benchmarks, served on loopback.
 *
 * - `servePages()` a small form, a shop of 300 cards, and an account page with a table, a dialog and a frame, and
 *   a page that reacts to nothing.
 */
const form = `<!doctype html><title>Sign up</title><h1>Sign up</h1>
<form onsubmit="event.preventDefault();document.getElementById('said').textContent='Welcome '+this.name.value">
<label>Name <input name="name"></label> <label>Mail <input name="mail" type="email"></label>
<label><input type="checkbox" name="news"> Newsletter</label> <button>Send</button></form>
<p id="said"></p>`;

const card = (number: number) => `<article><h2><a href="#product-${number}">Product ${number}</a></h2>
<p>A thing of good use, number ${number} of its kind.</p><p>${(number * 7) % 90},99 €</p>
<button onclick="cart.textContent=1+Number(cart.textContent)">Add to cart</button> <button>Save</button></article>`;
const shop = `<!doctype html><title>Shop</title><header><a href="/">Home</a> In the cart: <b id="cart">0</b></header>
<main>${Array.from({ length: 300 }, (_, index) => card(index + 1)).join("\n")}</main>`;

const row = (number: number) =>
  `<tr><td>Order ${number}</td><td>2026-0${1 + (number % 9)}-11</td><td><a href="#o${number}">Details</a></td></tr>`;
const account = `<!doctype html><title>Account</title><nav><a href="/form">Sign up</a> <a href="/shop">Shop</a></nav>
<h1>Account</h1><table>${Array.from({ length: 20 }, (_, index) => row(index + 1)).join("")}</table>
<button onclick="ask.showModal()">Delete account</button>
<dialog id="ask"><p>Really?</p><button onclick="ask.close('no')">Keep it</button></dialog>
<iframe title="Help" srcdoc="<h2>Help</h2><a href='#faq'>Questions</a>"></iframe>`;

const idle = `<!doctype html><title>Idle</title><button>Nothing</button> <label>Same <input value="same"></label>`;

const pages: Readonly<Record<string, string>> = { "/form": form, "/shop": shop, "/account": account, "/idle": idle };

export interface Pages {
  url(path: "/form" | "/shop" | "/account" | "/idle"): string;
  stop(): void;
}

export function servePages(): Pages {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const html = pages[new URL(request.url).pathname];
      // Requests that browsers make by themselves.
      if (request.url.endsWith("/favicon.ico")) return new Response(null, { status: 204 });
      return new Response(html ?? "", {
        status: html === undefined ? 404 : 200,
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    },
  });
  return { url: (path) => `http://127.0.0.1:${server.port}${path}`, stop: () => void server.stop(true) };
}
