package io.godwit.broker.admin.api.base;

import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.Screen;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;

/** The options of all commands, and the environment that they run in. */
public interface Invocation {
    PrintStream out();

    PrintStream err();

    Screen screen();

    /** Whether the output is JSON, for programs. */
    boolean isJson();

    /** The data directory of a broker on this machine. */
    Path data();

    /** The time limit of one answer. */
    Duration timeout();

    /** A client for the API, by the options for it. */
    ApiClient connectApi() throws AdminException;

    /** Whether options for another way to a node were given, such as {@code --rpc}. */
    boolean isRpc();

    /** An environment variable; empty if it is not set. */
    String variable(String name);
}
