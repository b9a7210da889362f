// What a shop's front end does: read a list, write a comment and edit it, vote, place an order.
// Its types are those of the API's schema (schema.d.ts, by openapi-typescript).
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };
const [address = "", key = "", product_id = ""] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const api = createClient<paths>({ baseUrl: address, headers });
type Schemas = components["schemas"];
const COMMENTS = "/api/v1/products/{product_id}/comments";
const COMMENT = "/api/v1/comments/{comment_id}";

function value<Data>(answer: { data?: Data; error?: Schemas["Problem"] }): Data {
  if (answer.data === undefined) throw new Error(answer.error?.detail);
  return answer.data;
}

type Filter = NonNullable<paths[typeof COMMENTS]["get"]["parameters"]["query"]>;
const filter: Filter = { language: ["en", "de"], rating: [4, 5] };
const first = value(await api.GET(COMMENTS, { params: { path: { product_id }, query: filter } }));
const cursor = new URL(first.next ?? "", address).searchParams.get("cursor") ?? "";
const query: Filter = { ...filter, cursor };
const second = value(await api.GET(COMMENTS, { params: { path: { product_id }, query } }));

const header = { "Idempotency-Key": "posted-once" };
const body: Schemas["DraftIn"] = { rating: 5, title: "Bright", text: "It lights up.", language: "en" };
const post = () => api.POST(COMMENTS, { params: { path: { product_id }, header }, body });
const [own, again] = [value(await post()), value(await post())];

const CHANGED: Schemas["ProblemCode"] = "comment-changed";
const refused: string[] = [];
async function edit(rating: number, version: number | null): Promise<Schemas["CommentOut"]> {
  const params = { path: { comment_id: own.id } };
  const answer = await api.PUT(COMMENT, { params, body: { ...body, rating, version } });
  if (answer.error?.code !== CHANGED || !("current" in answer.error)) return value(answer);
  refused.push(answer.error.code);
  return edit(rating, answer.error.current?.version ?? null);  // ours goes on top of theirs
}
const edited = [await edit(4, own.version), await edit(3, own.version)];

const comment_id = first.items[0]?.id ?? "";
const vote = value(await api.PUT("/api/v1/votes/{comment_id}", { params: { path: { comment_id } } }));
const order = value(await api.POST("/api/v1/orders", { body: { lines: [{ product_id, quantity: 2 }] } }));

console.log(JSON.stringify({
  listed: [first.items.length, second.items.length],
  posted_once: own.id === again.id,
  edited: edited.map(({ rating, version }) => [rating, version]),
  refused,
  votes: vote.helpful_votes,
  total: order.total,
}));
