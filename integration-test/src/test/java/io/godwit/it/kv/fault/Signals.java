package io.godwit.it.kv.fault;

import java.io.IOException;

/** SIGSTOP and SIGCONT, for processes of one's own. */
public final class Signals {
    private Signals() {}

    public static void stop(ProcessHandle process) throws IOException {
        send("STOP", process);
    }

    /** Also for one that is not stopped, or has ended. */
    public static void goOn(ProcessHandle process) throws IOException {
        if (process.isAlive()) {
            send("CONT", process);
        }
    }

    /** By a shell, which has its own {@code kill}: the program is not on every machine. */
    private static void send(String signal, ProcessHandle process) throws IOException {
        Command.run("/bin/sh", "-c", "kill -" + signal + " " + process.pid());
    }
}
