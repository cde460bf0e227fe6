package io.godwit.broker.admin.api;

import io.godwit.broker.admin.terminal.Screen;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;

/** What the command line says for all commands, and what it runs in. */
public interface Invocation {
    PrintStream out();

    PrintStream err();

    Screen screen();

    /** Whether programs read the output. */
    boolean isJson();

    /** The data directory of a broker of this machine. */
    Path data();

    /** For one answer. */
    Duration timeout();

    /** Where the API is. */
    ApiOptions api();

    /** Whether options were given for another way to a node, such as {@code --rpc}. */
    boolean isRpc();

    /** A variable of the environment; empty when it is not set. */
    String variable(String name);
}
