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
import picocli.CommandLine.Command;

/** {@code godwit-admin health}. */
@Command(
        name = "health",
        description = {
            "Tells whether the process of a node works, whether clients should connect to it, and if not, why.",
            "Ends with 0 when both hold, else with 1. The reasons are told to those with a token, and on the node."
        })
public final class HealthCommand extends WatchedCommand {
    public HealthCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        JsonObject live = ask(client, "live");
        JsonObject ready = ask(client, "ready");
        if (output.isJson()) {
            JsonObject both = new JsonObject();
            both.add("live", live);
            both.add("ready", ready);
            output.json(both);
        } else {
            output.say("live   " + told(output, live));
            output.say("ready  " + told(output, ready));
        }
        if (!isOk(live) || !isOk(ready)) {
            output.isBad();
        }
    }

    private static JsonObject ask(ApiClient client, String what) throws AdminException {
        ApiClient.Answer answer = client.ask("GET", ApiPath.of("/health/" + what), null);
        boolean isHealth = answer.status() == 200 || answer.status() == 503;
        if (isHealth && answer.json() instanceof JsonObject health && health.has("status")) {
            JsonElement status = health.get("status");
            if (status.isJsonPrimitive() && !status.getAsJsonPrimitive().isNumber()) {
                return health;
            }
        }
        throw client.refused(answer);
    }

    private static boolean isOk(JsonObject health) {
        return health.get("status").getAsString().equals("ok");
    }

    private static String told(Output output, JsonObject health) {
        String status = Columns.shown("", health.get("status"));
        StringBuilder reasons = new StringBuilder();
        if (health.get("reasons") instanceof JsonArray list) {
            list.forEach(
                    reason -> reasons.append(reasons.isEmpty() ? "  " : "; ").append(Columns.shown("", reason)));
        }
        return isOk(health)
                ? output.screen().green(status)
                : output.screen().red(output.printable(status)) + output.printable(reasons.toString());
    }
}
