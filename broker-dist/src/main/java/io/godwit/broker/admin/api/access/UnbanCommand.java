package io.godwit.broker.admin.api.access;

import io.godwit.broker.admin.api.base.ApiCommand;
import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.api.base.Output;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code godwit-admin unban}. */
@Command(name = "unban", description = "Lifts a ban; an automatic one on each node that has it.")
public final class UnbanCommand extends ApiCommand {
    @Parameters(paramLabel = "ID", description = "as bans lists it")
    private String id = "";

    public UnbanCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        output.done("lifted " + id, client.delete(ApiPath.of("/api/v1/bans").part(id)));
    }
}
