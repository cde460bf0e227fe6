package io.godwit.broker.admin.api.base;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Table;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A list of the API, with its pages joined. Each page is printed when it arrives, so a list of any length takes the
 * memory of one page. The column of tenants begins with the first page that needs it, under a new heading if rows were
 * printed before. The JSON has the form of one page: {@code items}, and {@code next} if there are more.
 */
final class Listing {
    private static final int PAGE = 1_000;

    private final ApiClient client;
    private final Output output;
    private final Columns columns;
    private Columns shown;
    private Table table;
    private final Set<String> missing = new LinkedHashSet<>();
    private int printed;
    private @Nullable JsonElement total;

    private Listing(ApiClient client, Output output, Columns columns) {
        this.client = client;
        this.output = output;
        this.columns = columns;
        this.shown = columns.withoutTenant();
        this.table = shown.table();
    }

    /** @param most the largest number of items to print */
    static void print(ApiClient client, Output output, ApiPath path, Columns columns, int most) throws AdminException {
        new Listing(client, output, columns).print(path, most);
    }

    private void print(ApiPath path, int most) throws AdminException {
        String cursor = null;
        JsonObject page;
        do {
            ApiPath asked = path.copy()
                    .with("limit", Math.min(PAGE, most - printed))
                    .with("fields", output.isJson() ? null : columns.fields())
                    .with("cursor", cursor);
            page = client.get(asked);
            String next = next(page);
            if (next != null && next.equals(cursor)) {
                throw new AdminException(Kind.FAILED, "the list does not end: two pages have the same end");
            }
            cursor = next;
            if (!(page.get("items") instanceof JsonArray items)) {
                throw new AdminException(Kind.FAILED, "the answer is no list: it has no items");
            }
            if (cursor == null) {
                total = page.get("total");
            }
            print(items, printed == 0);
            missing.addAll(Output.missing(page));
        } while (cursor != null && printed < most);
        end(cursor, page.has("missingNodes"));
    }

    private static @Nullable String next(JsonObject page) {
        return page.get("next") instanceof JsonPrimitive next
                        && !next.getAsString().isEmpty()
                ? next.getAsString()
                : null;
    }

    private void print(JsonArray items, boolean isFirst) {
        if (!shown.hasTenant() && columns.hasTenant() && Columns.nameTenants(items)) {
            shown = columns;
            table = shown.table();
        }
        for (JsonElement item : items) {
            if (output.isJson()) {
                output.part((printed == 0 ? "{\"items\": [\n  " : ",\n  ") + Output.line(item));
            } else if (item instanceof JsonObject object) {
                shown.add(table, object);
            }
            printed++;
        }
        if (!output.isJson() && (isFirst || !items.isEmpty())) {
            output.print(table);
        }
    }

    private void end(@Nullable String next, boolean namesMissing) {
        if (output.isJson()) {
            StringBuilder end = new StringBuilder(printed == 0 ? "{\"items\": []" : "\n]");
            if (total != null) {
                end.append(", \"total\": ").append(Output.line(total));
            }
            if (next != null) {
                end.append(", \"next\": ").append(Output.line(new JsonPrimitive(next)));
            }
            if (namesMissing) {
                JsonArray nodes = new JsonArray();
                missing.forEach(nodes::add);
                end.append(", \"missingNodes\": ").append(Output.line(nodes));
            }
            output.say(end.append('}').toString());
        }
        output.warnOfMissing(missing);
        boolean isCut = total instanceof JsonPrimitive all && all.isNumber() && all.getAsLong() > printed;
        if (isCut) {
            output.warn("the first " + printed + " of " + total);
        } else if (next != null) {
            output.warn("the first " + printed + "; there are more, set --limit to get them");
        }
    }
}
