package io.godwit.perf.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Scripts that behave as those of a distribution do towards this tool, without a broker behind them. */
final class FakeDistribution {
    /** Says that it serves, and stays. */
    static final String SERVING = "printf 'pid=%s\\nstate=ready\\n' $$ >\"$data/godwit.status\"; exec sleep 300";
    /** Says that it serves, and does not end when it is asked to. */
    static final String STUBBORN = "trap '' TERM; printf 'pid=%s\\nstate=ready\\n' $$ >\"$data/godwit.status\"; "
            + "while :; do sleep 0.1; done";
    /** Ends with a complaint, on the second node only. */
    static final String SECOND_FAILS = "case $data in */n2/*) echo 'the port is taken'; exit 1 ;; esac; " + SERVING;

    private FakeDistribution() {}

    /**
     * @param behaviour of a broker once it has its data directory, in bash
     * @param voters of each range, as {@code godwit-admin} tells
     */
    static Distribution make(Path root, String behaviour, int voters) throws IOException {
        Files.createDirectories(root.resolve("bin"));
        Files.createDirectories(root.resolve("lib"));
        script(root.resolve("bin/standalone.sh"), """
                while [ $# -gt 0 ]; do
                  case $1 in --data) data=$2; shift ;; esac
                  shift
                done
                umask 077
                echo "$$ $data" >>"$(dirname "$0")/../started"
                mkdir -p "$data"
                echo "options: $JVM_OPTS $JVM_HEAP_OPTS"
                """ + behaviour);
        script(root.resolve("bin/godwit-admin"), """
                echo '{"ranges": [{"leader": "a", "voters": [%s]}]}'
                """.formatted(
                        String.join(", ", List.of("\"a\"", "\"b\"", "\"c\"").subList(0, voters))));
        return new Distribution(root);
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/usr/bin/env bash\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
}
