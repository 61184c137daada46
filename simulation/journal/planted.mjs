import { isDynamoError, isTablekeepError, sleep, wrapPort } from "@tablekeep/core";

/** Mistakes, each as a change to a journal's requests or to their answers. The simulation must find every one. */
export const planted = {
  "rows-unconditional": withInput(({ operation, input }) => {
    if (operation === "PutItem" && isRow(input.Item)) return without(input, "ConditionExpression");
    if (operation !== "TransactWriteItems") return input;
    return eachAction(input, "Put", (put) => (isRow(put.Item) ? without(put, "ConditionExpression") : put));
  }),
  "no-fence": withInput(({ operation, input }) =>
    operation === "TransactWriteItems"
      ? {
          ...input,
          TransactItems: input.TransactItems.filter((action) => action.ConditionCheck === undefined),
        }
      : input,
  ),
  "writer-item-unconditional": withInput(({ operation, input }) => {
    const isEpoch = (update) => /epoch/.test(update.UpdateExpression ?? "");
    if (operation === "UpdateItem" && isEpoch(input)) return without(input, "ConditionExpression");
    if (operation !== "TransactWriteItems") return input;
    return eachAction(input, "Update", (update) =>
      isEpoch(update) ? without(update, "ConditionExpression") : update,
    );
  }),
  "staged-rows-removed-unconditionally": withInput(({ operation, input }) =>
    operation === "DeleteItem" && /staged/.test(input.ConditionExpression ?? "")
      ? without(input, "ConditionExpression")
      : input,
  ),
  "low-mark-not-written": answeredBy(({ operation, input }, send) =>
    operation === "UpdateItem" && /#low/.test(input.UpdateExpression ?? "") ? {} : send(),
  ),
  "tombstones-not-written": answeredBy(({ operation, input }, send) =>
    operation === "PutItem" && input.Item?.tomb !== undefined ? {} : send(),
  ),
  "lost-answers-count-as-done": answeredBy(async ({ operation }, send) => {
    try {
      return await send();
    } catch (error) {
      if (isTablekeepError(error) && error.ambiguous && operation !== "UpdateItem") return {};
      throw error;
    }
  }),
  "refusals-count-as-done": answeredBy(async ({ operation }, send) => {
    try {
      return await send();
    } catch (error) {
      if (operation === "PutItem" && isDynamoError(error, "ConditionalCheckFailedException")) return {};
      throw error;
    }
  }),
  "unread-keys-forgotten": answeredBy(async (_request, send) => {
    const answer = await send();
    return "UnprocessedKeys" in answer ? { ...answer, UnprocessedKeys: {} } : answer;
  }),
  "only-first-pages": answeredBy(async ({ operation }, send) => {
    const answer = await send();
    return operation === "Query" ? without(answer, "LastEvaluatedKey") : answer;
  }),
  "last-row-not-seen": answeredBy(async ({ operation, input }, send) => {
    const answer = await send();
    return operation === "Query" && input.ScanIndexForward === false ? { ...answer, Items: [] } : answer;
  }),
  "commit-records-not-seen": answeredBy(async ({ operation, input }, send) => {
    const answer = await send();
    return operation === "GetItem" && /-C-|"-\d{1,9}"/.test(JSON.stringify(input.Key)) ? {} : answer;
  }),
  // Compactions are late too, which is no mistake by itself.
  "compaction-unconditional": (port, { clock }) =>
    wrapPort(port, async (operation, input, options, next) => {
      const isMerge = input.TransactItems?.some(({ Put }) => Put?.Item.into !== undefined);
      if (!isMerge) return next(operation, input, options);
      await sleep(clock, 4000);
      return next(
        operation,
        eachAction(input, "Put", (put) => without(put, "ConditionExpression")),
        options,
      );
    }),
  // The same for items that are written again without deleted or expired events.
  "rewrite-unconditional": (port, { clock }) =>
    wrapPort(port, async (operation, input, options, next) => {
      const isRewrite =
        operation === "PutItem" &&
        input.Item.ev &&
        /^attribute_not_exists\(#tomb\)/.test(input.ConditionExpression);
      if (!isRewrite) return next(operation, input, options);
      await sleep(clock, 4000);
      return next(operation, without(input, "ConditionExpression"), options);
    }),
  "search-ends-at-snapshot": answeredBy(async ({ operation, input }, send) => {
    const answer = await send();
    if (operation !== "Query" || input.ScanIndexForward !== false) return answer;
    const at = (answer.Items ?? []).findIndex(({ num }) => num?.N.endsWith(".5"));
    if (at < 0) return answer;
    return { ...without(answer, "LastEvaluatedKey"), Items: answer.Items.slice(0, at + 1) };
  }),
  "transactions-in-parts": (port) =>
    wrapPort(port, async (operation, input, options, next) => {
      const actions = input.TransactItems ?? [];
      if (operation !== "TransactWriteItems" || actions.length < 3) return next(operation, input, options);
      const half = Math.ceil(actions.length / 2);
      await next(operation, { TransactItems: actions.slice(0, half) }, options);
      return next(operation, { TransactItems: actions.slice(half) }, options);
    }),
};

/** Mistakes as changes to the journal itself. */
export const plantedJournals = {
  "expected-ignored": (journal) => ({
    ...journal,
    append: (id, events, options) => journal.append(id, events, { ...options, expected: "any" }),
  }),
};

/** Mistakes of which only the packed layout knows. */
export const packedOnly = ["compaction-unconditional", "rewrite-unconditional", "search-ends-at-snapshot"];

/** Kinds of faults without which a mistake does not show; in its runs they are the only ones, and frequent. */
export const neededKinds = {
  "unread-keys-forgotten": ["unprocessed"],
  "only-first-pages": ["page-cut"],
};

/** A port whose requests are changed before they are sent. */
function withInput(change) {
  return (port) =>
    wrapPort(port, (operation, input, options, next) =>
      next(operation, change({ operation, input }), options),
    );
}

/** A port whose requests are answered otherwise. */
function answeredBy(answer) {
  return (port) =>
    wrapPort(port, async (operation, input, options, next) =>
      answer({ operation, input }, () => next(operation, input, options)),
    );
}

function isRow(item) {
  return item?.wid !== undefined && item.last === undefined;
}

/** Removes a member; with a condition also the names and values that only it uses. */
function without(from, member) {
  const { [member]: _left, ...rest } = from;
  if (member !== "ConditionExpression") return rest;
  const used = (name) => (rest.UpdateExpression ?? "").includes(name);
  const keep = (map) => {
    const kept = Object.entries(map ?? {}).filter(([name]) => used(name));
    return kept.length > 0 ? Object.fromEntries(kept) : undefined;
  };
  return {
    ...rest,
    ExpressionAttributeNames: keep(rest.ExpressionAttributeNames),
    ExpressionAttributeValues: keep(rest.ExpressionAttributeValues),
  };
}

function eachAction(input, kind, change) {
  return {
    ...input,
    TransactItems: input.TransactItems.map((action) =>
      action[kind] === undefined ? action : { [kind]: change(action[kind]) },
    ),
  };
}
