package io.godwit.perf.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Scripts with the behaviour of a distribution's towards this tool, without a broker. */
final class FakeDistribution {
    /** Reports that it serves, and stays. */
    static final String SERVING = "printf 'pid=%s\\nstate=ready\\n' $$ >\"$data/godwit.status\"; exec sleep 300";
    /** As {@link #SERVING}, with a log in which another node becomes known a second after the link to it. */
    static final String LOGGING = "printf '%s INFO  [main] io.godwit.broker.Main - Godwit 1 pid=%s java=17\\n'"
            + " '2026-11-26 17:00:00,000' $$ >>\"$log/godwit.log\"; "
            + "printf '2026-11-26 %s\\n'"
            + " '17:00:00,500 INFO  [links-1] i.g.c.link.Contacts - linked peer=n1/1#1 version=1'"
            + " '17:00:01,500 INFO  [link-control-1] i.g.d.peer.RemoteFilters - live filters of a peer are known"
            + " node=n1 incarnation=1'"
            + " '17:00:02,000 INFO  [dist-members] i.g.d.m.ClusterMembers - node serves self=NodeLife[nodeId=n1,"
            + " incarnation=1] view='"
            + " '17:00:02,750 INFO  [main] io.godwit.broker.Broker - ready listeners=[]' >>\"$log/godwit.log\"; "
            + SERVING;
    /** Reports that it serves, and ignores requests to end. */
    static final String STUBBORN = "trap '' TERM; printf 'pid=%s\\nstate=ready\\n' $$ >\"$data/godwit.status\"; "
            + "while :; do sleep 0.1; done";
    /** Ends with an error, on the second node only. */
    static final String SECOND_FAILS = "case $data in */n2/*) echo 'the port is taken'; exit 1 ;; esac; " + SERVING;

    private FakeDistribution() {}

    /**
     * @param behaviour of a broker with an existing data directory, in bash
     * @param voters of each range, as {@code godwit-admin} reports them
     */
    static UnpackedDistribution make(Path root, String behaviour, int voters) throws IOException {
        Files.createDirectories(root.resolve("bin"));
        Files.createDirectories(root.resolve("lib"));
        script(root.resolve("bin/standalone.sh"), """
                while [ $# -gt 0 ]; do
                  case $1 in --data) data=$2; shift ;; --log) log=$2; shift ;; esac
                  shift
                done
                umask 077
                echo "$$ $data" >>"$(dirname "$0")/../started"
                mkdir -p "$data" "$log"
                echo "options: $JVM_OPTS $JVM_HEAP_OPTS $GODWIT_MQTT_SERVER_CONFIG_MAX_PACKET_BYTES"
                """ + behaviour);
        script(root.resolve("bin/godwit-admin"), """
                echo '{"ranges": [{"leader": "a", "voters": [%s]}]}'
                """.formatted(
                        String.join(", ", List.of("\"a\"", "\"b\"", "\"c\"").subList(0, voters))));
        return new UnpackedDistribution(root);
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/usr/bin/env bash\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }
}
