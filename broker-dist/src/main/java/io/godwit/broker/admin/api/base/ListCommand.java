package io.godwit.broker.admin.api.base;

import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.http.ApiPath;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import picocli.CommandLine.Option;

/** A command that lists items: subclasses give the path of the list and the columns to show. */
public abstract class ListCommand extends WatchedCommand {
    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "1000",
            description = "the most items to print (default: 1000)")
    private int limit = 1_000;

    protected ListCommand(Invocation invocation) {
        super(invocation);
    }

    /** The path of the list, with its filters. */
    protected abstract ApiPath path() throws AdminException;

    protected abstract Columns columns();

    @Override
    protected void run(ApiClient client, Output output) throws AdminException {
        if (limit < 1) {
            throw new AdminException(Kind.USAGE, "--limit must be at least 1");
        }
        Listing.print(client, output, path(), columns(), limit);
    }
}
