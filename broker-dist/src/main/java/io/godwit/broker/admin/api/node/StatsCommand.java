package io.godwit.broker.admin.api.node;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.api.base.WatchedCommand;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit-admin stats}. */
@Command(
        name = "stats",
        description = "Tells the figures of each node and of all together: what there is, or what was counted.")
public final class StatsCommand extends WatchedCommand {
    @Option(names = "--counted", description = "what was counted since each node started, such as messages")
    private boolean isCounted;

    public StatsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        String kind = isCounted ? "metrics" : "stats";
        JsonElement nodes = client.getAny(ApiPath.of("/api/v1/" + kind));
        JsonObject sum = client.get(ApiPath.of("/api/v1/" + kind + "/sum"));
        if (!(nodes instanceof JsonArray list)) {
            throw new AdminException(Kind.FAILED, "the answer is no list of nodes");
        }
        if (output.isJson()) {
            JsonObject both = new JsonObject();
            both.add("items", list);
            both.add("sum", sum);
            output.json(both);
        } else {
            print(output, list, kind, sum.get(kind) instanceof JsonObject inner ? inner : sum);
        }
    }

    private static void print(Output output, JsonArray nodes, String kind, JsonObject sum) {
        List<String> heading = new ArrayList<>(List.of("FIGURE"));
        List<JsonObject> figures = new ArrayList<>();
        Set<String> names = new TreeSet<>(sum.keySet());
        for (JsonElement node : nodes) {
            JsonObject named = object(node, "node");
            JsonObject values = object(node, kind);
            if (values.isEmpty()) {
                output.warn("warning: node " + Columns.shown("", named.get("name")) + " is missing: "
                        + Columns.shown("", named.get("status")));
                continue;
            }
            heading.add(output.printable(Columns.cell("node", named.get("name"))));
            figures.add(values);
            names.addAll(values.keySet());
        }
        heading.add("SUM");
        figures.add(sum);
        Table table = new Table(heading.toArray(String[]::new));
        for (String name : names) {
            List<String> row = new ArrayList<>(List.of(name));
            figures.forEach(values -> row.add(Columns.shown("", values.get(name))));
            table.add(row.toArray());
        }
        output.print(table);
    }

    private static JsonObject object(@Nullable JsonElement outer, String field) {
        return outer instanceof JsonObject object && object.get(field) instanceof JsonObject inner
                ? inner
                : new JsonObject();
    }
}
