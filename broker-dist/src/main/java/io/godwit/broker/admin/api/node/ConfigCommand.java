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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit-admin config}. */
@Command(
        name = "config",
        description = "Tells the configuration in force on each node, secrets masked, and where nodes differ.")
public final class ConfigCommand extends WatchedCommand {
    @Option(names = "--node", paramLabel = "ID", description = "only of this node")
    private @Nullable String node;

    @Option(names = "--all", description = "the defaults too")
    private boolean isAll;

    public ConfigCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        JsonObject answer = client.get(
                ApiPath.of("/api/v1/configuration").with("node", node).with("onlyGiven", !isAll));
        if (!(answer.get("items") instanceof JsonArray nodes)) {
            throw new AdminException(Kind.FAILED, "the answer has no items");
        }
        if (output.isJson()) {
            output.json(answer);
        } else {
            Table table = new Table("NODE", "KEY", "VALUE", "FROM");
            for (JsonElement each : nodes) {
                add(table, each);
            }
            output.print(table);
            if (answer.get("differences") instanceof JsonArray differences && !differences.isEmpty()) {
                for (JsonElement each : differences) {
                    if (each instanceof JsonObject one) {
                        output.warn("nodes differ: " + Columns.shown("", one.get("key")));
                    }
                }
            }
        }
        output.warnOfMissing(Output.missing(answer));
    }

    private static void add(Table table, JsonElement each) {
        if (each instanceof JsonObject one && one.get("settings") instanceof JsonArray settings) {
            for (JsonElement setting : settings) {
                if (setting instanceof JsonObject given) {
                    table.add(
                            Columns.cell("node", one.get("node")),
                            Columns.shown("", given.get("key")),
                            Columns.shown("", given.get("value")),
                            Columns.shown("", given.get("source")));
                }
            }
        }
    }
}
