package io.godwit.broker.admin.command;

import io.godwit.broker.admin.api.base.Invocation;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.terminal.AdminException;

/** What the commands of this package see of the command line that runs them. */
public interface NodeInvocation extends Invocation {
    /** Connects to the node that the options name. */
    AdminClient connect() throws AdminException;

    /** Prints a progress line; with {@code --json} on standard error, since standard output is for JSON. */
    void progress(String line);

    void printJson(Object message);
}
