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
import picocli.CommandLine.Command;

/** {@code godwit-admin plugins}. */
@Command(
        name = "plugins",
        description = "Lists the plugins of all nodes, what each is used for, and how it does. One that is not used has"
                + " no kind. An open circuit means that it is not called for a while.")
public final class PluginsCommand extends WatchedCommand {
    public PluginsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        JsonObject answer = client.get(ApiPath.of("/api/v1/plugins"));
        if (!(answer.get("items") instanceof JsonArray plugins)) {
            throw new AdminException(Kind.FAILED, "the answer has no items");
        }
        if (output.isJson()) {
            output.json(answer);
        } else {
            Table table = new Table(
                    "NODE",
                    "PLUGIN",
                    "VERSION",
                    "KIND",
                    "NAME",
                    "HEALTH",
                    "THREADS",
                    "CALLS",
                    "BUSY-MS",
                    "FAILURES",
                    "CIRCUIT",
                    "LAST-FAILURE");
            for (JsonElement each : plugins) {
                if (each instanceof JsonObject plugin) {
                    add(table, plugin);
                }
            }
            output.print(table);
        }
        output.warnOfMissing(Output.missing(answer));
    }

    private static void add(Table table, JsonObject plugin) {
        if (plugin.get("uses") instanceof JsonArray uses && !uses.isEmpty()) {
            for (JsonElement each : uses) {
                add(table, plugin, each instanceof JsonObject use ? use : new JsonObject());
            }
        } else {
            add(table, plugin, new JsonObject());
        }
    }

    private static void add(Table table, JsonObject plugin, JsonObject use) {
        table.add(
                Columns.cell("node", plugin.get("node")),
                Columns.shown("", plugin.get("name")),
                Columns.shown("", plugin.get("version")),
                Columns.shown("", use.get("kind")),
                Columns.shown("", use.get("name")),
                Columns.shown("", use.get("health")),
                Columns.shown("", use.get("threads")),
                Columns.shown("", use.get("calls")),
                Columns.shown("", use.get("busyMillis")),
                Columns.shown("", use.get("failures")),
                Columns.shown("", use.get("circuit")),
                Columns.shown("", use.get("lastFailure")));
    }
}
