package io.godwit.perf.curve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;

class CurveTest {
    private final Curve curve = new Curve(
            "connections",
            "Connections & memory",
            "connections",
            true,
            List.of(new Curve.Panel("MB", List.of("heap MB", "resident MB"))));

    @Test
    void theSlopeIsThatOfTheLineThroughThePoints() {
        curve.add(1_000, Map.of("heap MB", 14.0, "resident MB", 1.0));
        curve.add(2_000, Map.of("heap MB", 18.0));
        curve.add(4_000, Map.of("heap MB", 26.0));

        assertThat(curve.slope("heap MB")).isCloseTo(0.004, within(1e-9));
        assertThat(curve.slope("resident MB")).isNaN();
    }

    @Test
    void thePlotHasADotForEachPointThatWasMeasured(@TempDir Path directory) throws Exception {
        curve.add(10, Map.of("heap MB", 14.0, "resident MB", 100.0));
        curve.add(1_000, Map.of("heap MB", 18.0));
        curve.add(10_000, Map.of("heap MB", 26.0, "resident MB", 200.0));

        curve.write(directory, Map.of("cores", 2));

        Element svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(
                        Files.readString(directory.resolve("connections.svg")).getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
        assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(5);
        JsonObject json = new JsonObject(Files.readString(directory.resolve("connections.json")));
        assertThat(json.getInteger("cores")).isEqualTo(2);
        assertThat(json.getJsonArray("points").getJsonObject(2).getDouble("heap MB"))
                .isEqualTo(26.0);
        assertThat(curve.table()).contains("| 10,000 |", "26.00", "200");
    }
}
