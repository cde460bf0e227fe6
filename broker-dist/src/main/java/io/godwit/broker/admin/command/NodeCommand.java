package io.godwit.broker.admin.command;

import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.terminal.AdminException;
import java.util.concurrent.Callable;

/** A command that calls a node. Its exit code is 0 unless it throws. */
abstract class NodeCommand implements Callable<Integer> {
    private final NodeInvocation admin;

    NodeCommand(NodeInvocation admin) {
        this.admin = admin;
    }

    abstract void run(AdminClient client) throws AdminException;

    @Override
    public final Integer call() throws AdminException {
        try (AdminClient client = admin.connect()) {
            run(client);
            return 0;
        }
    }

    NodeInvocation admin() {
        return admin;
    }

    /** Prints the answer as JSON, or runs {@code told} to print it for people. */
    void answer(Object message, Runnable told) {
        if (admin.isJson()) {
            admin.printJson(message);
        } else {
            told.run();
        }
    }
}
