package io.godwit.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small loads on three packaged brokers, which the tool starts and stops. */
@Tag("full")
class ClusterEndToEndTest {
    @TempDir
    private Path reports;

    @Test
    void nothingIsLostFromNodeToNode() throws Exception {
        int code = Main.execute(
                "cluster",
                "run",
                "15k_15k_qos1_p256_1mps_3n_3v",
                "--scale",
                "0.002",
                "--seconds",
                "2",
                "--warmup",
                "2s",
                "--drain",
                "20s",
                "--heap",
                "256m",
                "--broker-jvm=-XX:TieredStopAtLevel=1",
                "--broker-jvm=-XX:+UseSerialGC",
                "--dist",
                System.getProperty("godwit.distribution"),
                "--out",
                reports.toString());

        assertThat(code).as("4 is allowed: a busy machine may miss the rate").isIn(0, 4);
        JsonObject run = json("15k*.json");
        JsonObject delivery = run.getJsonObject("delivery");
        assertThat(delivery.getLong("sent")).isGreaterThanOrEqualTo(100);
        assertThat(delivery.getLong("acknowledged")).isEqualTo(delivery.getLong("sent"));
        assertThat(delivery.getLong("received")).isEqualTo(delivery.getLong("expected"));
        assertThat(delivery.getLong("lost")).isZero();
        assertThat(run.getJsonArray("brokers")).hasSize(3);
        assertThat(run.getJsonObject("broker").getDouble("meanCores")).isPositive();

        JsonObject table = json("cluster-*.json");
        assertThat(table.getJsonArray("rows")).hasSize(1);
        List<String> row = texts(table.getJsonArray("rows").getJsonArray(0));
        assertThat(row).startsWith("15k_15k_qos1_p256_1mps_3n_3v", "0.002", "3", "3", "15k", "134.15", "30.0");
        assertThat(row).last().as("number of lost messages").isEqualTo("0");
    }

    /** Few clients and filters, as this only tests that the rows run. */
    @Test
    void aClusterIsMeasuredWhileItsNodesAreKilledAndStartedAgain() throws Exception {
        int code = Main.execute(
                "cluster",
                "rows",
                "--only",
                "reconnect,large-beside-small,resync",
                "--scale",
                "0.02",
                "--seconds",
                "2",
                "--heap",
                "512m",
                "--broker-jvm=-XX:TieredStopAtLevel=1",
                "--broker-jvm=-XX:+UseSerialGC",
                "--dist",
                System.getProperty("godwit.distribution"),
                "--out",
                reports.toString());

        assertThat(code)
                .as("no message is lost, whatever the other results are")
                .isZero();
        JsonArray rows = json("cluster-rows-*.json").getJsonArray("rows");
        assertThat(rows)
                .hasSize(4)
                .allSatisfy(row -> assertThat(texts((JsonArray) row))
                        .doesNotContain("not measured")
                        .last()
                        .isEqualTo("0"));
        assertThat(rows.stream().map(row -> texts((JsonArray) row).get(0)))
                .containsExactly("reconnect", "large-beside-small", "resync", "resync");
    }

    private JsonObject json(String glob) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(reports, glob)) {
            return new JsonObject(Files.readString(files.iterator().next()));
        }
    }

    private static List<String> texts(JsonArray array) {
        return array.stream().map(String::valueOf).toList();
    }
}
