package io.godwit.broker.admin.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableTest {
    private static List<String> printed(Table table, int columns) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            table.print(out, new Screen(columns, 24, false));
        }
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 40, 41, 60, 79, 80, 200})
    void rowsHaveRoomOnALine(int columns) {
        Table table = new Table("CLIENT", "USER", "QOS", "TOPIC");
        table.add("c".repeat(300), "ann", 1, "a/".repeat(100));
        table.add("short", "", 0, "\u6771\u4eac".repeat(80)); // letters of two columns each
        assertThat(printed(table, columns))
                .hasSize(3)
                .allSatisfy(line -> assertThat(Printable.columns(line)).isLessThanOrEqualTo(columns));
    }

    @Test
    void theWidestColumnsAreCutFirst() {
        Table table = new Table("CLIENT", "USER", "TOPIC");
        table.add("c".repeat(40), "bert", "t".repeat(100));
        assertThat(printed(table, 80).get(1)).isEqualTo("c".repeat(34) + "..  bert  " + "t".repeat(34) + "..");
    }

    @Test
    void nothingIsCutForAFile() {
        Table table = new Table("CLIENT", "USER");
        table.add("c".repeat(400), "");
        assertThat(printed(table, 0)).last().isEqualTo("c".repeat(400) + "  -");
    }

    /** Pages of a list are one table. */
    @Test
    void aTableThatIsPrintedInPartsHasOneHeading() {
        Table table = new Table("CLIENT", "USER");
        table.add("a-long-name", "x");
        assertThat(printed(table, 0)).containsExactly("CLIENT       USER", "a-long-name  x");
        table.add("b", "y");
        assertThat(printed(table, 0)).containsExactly("b            y");
    }

    @Test
    void whatAClientChoseMovesNoCursor() {
        assertThat(Printable.of("a\u001b[2Jb\rc\nd\te")).isEqualTo("a\\x1b[2Jb\\x0dc\\x0ad\\x09e");
        assertThat(Printable.of("\u009b31m\u202ecod.exe\u2066\u200b\ufeff"))
                .isEqualTo("\\x9b31m\\u202ecod.exe\\u2066\\u200b\\ufeff");
        assertThat(Printable.of("\ud800x")).isEqualTo("\\ud800x");
        assertThat(Printable.of("M\u00fcller \u6771 \ud83d\ude00")).isEqualTo("M\u00fcller \u6771 \ud83d\ude00");
        assertThat(Printable.of("e" + "\u0301".repeat(100)))
                .hasSizeLessThan(700)
                .doesNotContain("\u0301".repeat(5));
    }

    @Test
    void jsonMeansTheSame() {
        assertThat(Printable.json("{\n\"a\": \"\u009b\u202e\u007f\\u001b\"}"))
                .isEqualTo("{\n\"a\": \"\\u009b\\u202e\\u007f\\u001b\"}");
        assertThat(Printable.json("\"e" + "\u0301".repeat(9) + "\"")).isEqualTo("\"e" + "\u0301".repeat(9) + "\"");
        assertThat(Printable.json("\"" + Character.toString(0xe0001) + "\"")).isEqualTo("\"\\udb40\\udc01\"");
    }

    @Test
    void coloursAreForTerminals() {
        Properties properties = new Properties();
        assertThat(Screen.of(properties, Map.of("TERM", "xterm"))).isEqualTo(Screen.NONE);
        properties.setProperty("godwit.terminal", "40 132");
        assertThat(Screen.of(properties, Map.of("TERM", "xterm"))).isEqualTo(new Screen(132, 40, true));
        assertThat(Screen.of(properties, Map.of("TERM", "xterm", "NO_COLOR", "1")))
                .isEqualTo(new Screen(132, 40, false));
        assertThat(Screen.of(properties, Map.of("TERM", "dumb")).hasColours()).isFalse();
        for (String size : List.of("", "0 0", "x y", "99999999999 1", "1")) {
            properties.setProperty("godwit.terminal", size);
            assertThat(Screen.of(properties, Map.of())).isEqualTo(new Screen(80, 24, false));
        }
        assertThat(new Screen(80, 24, true).red("no")).isEqualTo("\u001b[31mno\u001b[0m");
        assertThat(new Screen(80, 24, false).red("no")).isEqualTo("no");
    }
}
