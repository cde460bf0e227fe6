package io.godwit.broker.admin.api.node;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Columns;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.NodeNames;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the asked node replace a node, and reports the progress until the end. */
@Command(
        name = "replace",
        description = {
            "Makes new voters on another node for those of a node that is gone for good, and then forgets that node.",
            "The node that is asked does the work, also after this program has ended. Repeat the command to continue a",
            "replacement that was interrupted."
        })
public final class ReplaceCommand extends ApiCommand {
    private static final long LOOK_MILLIS = 500;
    private static final int MOST_MISSED = 10;
    private static final String GOES_ON = "; it may continue: repeat the command to see how far it is";

    @Parameters(paramLabel = "NODE", description = "the node that is gone for good")
    private String name = "";

    @Option(names = "--by", paramLabel = "NODE", required = true, description = "the node that takes its place")
    private String by = "";

    @Option(names = "--no-wait", description = "only begin it; repeat the command to see how far it is")
    private boolean isNoWait;

    public ReplaceCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        NodeNames names = names(client.get(ApiPath.of("/api/v1/nodes").with("fields", "id,rpcAddress")));
        String gone = names.resolve(name);
        ApiPath path = ApiPath.of("/api/v1/nodes").part(gone).then("/replace");
        JsonObject wanted = new JsonObject();
        wanted.addProperty("by", names.resolve(by));
        JsonObject state = client.post(path, wanted);
        String told = "";
        while (is(state, "running") && !isNoWait) {
            String now = describe(state);
            if (!now.equals(told)) {
                output.progress(now);
                told = now;
            }
            state = look(client, path);
        }
        if (is(state, "failed")) {
            if (output.isJson()) {
                output.json(state);
            }
            throw new AdminException(
                    Kind.FAILED,
                    "not finished, " + left(state) + " left: " + Columns.shown("", state.get("reason"))
                            + "; repeat the command to continue");
        }
        output.done(is(state, "running") ? describe(state) : Columns.shown("", state.get("step")), state);
    }

    private static NodeNames names(JsonObject answer) throws AdminException {
        List<NodeNames.Named> nodes = new ArrayList<>();
        if (answer.get("items") instanceof JsonArray items) {
            for (JsonElement each : items) {
                if (each instanceof JsonObject node) {
                    nodes.add(new NodeNames.Named(
                            Columns.shown("", node.get("id")), Columns.shown("", node.get("rpcAddress"))));
                }
            }
        }
        return new NodeNames(nodes);
    }

    private static boolean is(JsonObject state, String wanted) {
        return Columns.shown("", state.get("state")).equals(wanted);
    }

    private static String left(JsonObject state) {
        return Columns.shown("", state.get("left"));
    }

    private static String describe(JsonObject state) {
        return Columns.shown("", state.get("moved")) + " ranges moved, " + left(state) + " left: "
                + Columns.shown("", state.get("step"));
    }

    /** Asks again for the state: a busy node may miss some answers. */
    private static JsonObject look(ApiClient client, ApiPath path) throws AdminException {
        for (int missed = 1; ; missed++) {
            pause();
            try {
                return client.get(path);
            } catch (AdminException e) {
                if (e.kind() == Kind.UNKNOWN) {
                    throw new AdminException(
                            Kind.FAILED, "the node that did it has restarted: repeat the command to continue", e);
                }
                if (missed == MOST_MISSED) {
                    throw new AdminException(Kind.FAILED, e.getMessage() + GOES_ON, e);
                }
            }
        }
    }

    private static void pause() throws AdminException {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminException(Kind.FAILED, "interrupted" + GOES_ON, e);
        }
    }
}
