package io.godwit.broker.admin.api.base;

import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.terminal.AdminException;
import java.util.concurrent.Callable;

/** A command that calls the API of one node. */
public abstract class ApiCommand implements Callable<Integer> {
    private final Invocation invocation;

    protected ApiCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    protected abstract void run(ApiClient client, Output output) throws AdminException;

    @Override
    public Integer call() throws AdminException {
        Output output = new Output(invocation, invocation.out());
        run(connect(), output);
        return output.exitCode();
    }

    final ApiClient connect() throws AdminException {
        return invocation.connectApi();
    }

    final Invocation invocation() {
        return invocation;
    }
}
