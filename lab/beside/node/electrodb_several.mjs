// A page of several partitions by ElectroDB: queries at once, merged, with a cursor of each.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createConversions, Entity } from "electrodb";

const Note = new Entity(
  {
    model: { entity: "note", version: "1", service: "beside" },
    attributes: {
      id: { type: "string", required: true },
      shelf: { type: "string", required: true },
      at: { type: "string", required: true },
      text: { type: "string" },
    },
    indexes: {
      byId: { pk: { field: "id", composite: ["id"], casing: "none" } },
      byShelf: {
        index: "by_shelf",
        pk: { field: "shelf", composite: ["shelf"], casing: "none" },
        sk: { field: "at", composite: ["at"], casing: "none" },
      },
    },
  },
  { client: new DynamoDBClient(), table: "beside" },
);
const { toCursor } = createConversions(Note).byAccessPattern.byShelf.fromComposite;

export async function page(shelves, link = null) {
  const cursors = link ? JSON.parse(link) : {};
  const answers = await Promise.all(
    shelves.map((shelf) =>
      Note.query
        .byShelf({ shelf })
        .go({ order: "desc", limit: 20, cursor: cursors[shelf], ignoreOwnership: true }),
    ),
  );
  const found = answers.flatMap((answer) => answer.data);
  const items = found.toSorted((a, b) => (a.at < b.at) - (a.at > b.at)).slice(0, 20);
  for (const note of items) {
    cursors[note.shelf] = toCursor(note);
  }
  const isMore = found.length > items.length || answers.some((answer) => answer.cursor);
  return [items, isMore ? JSON.stringify(cursors) : null, null];
}
