package io.godwit.broker.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A normative statement of the protocol.
 *
 * @param id the number the standard gives it behind the version; in MQTT 3.1, which has none, section and running
 *     number
 * @param bound whom it binds; a rule for clients whose breach the server has to answer binds both
 * @param claim what it says, in our words
 */
record Statement(String id, Bound bound, String claim) {
    enum Bound {
        SERVER,
        CLIENT,
        BOTH
    }

    boolean needsTest() {
        return bound != Bound.CLIENT;
    }

    /** The statements of one version, in the order of the standard. */
    static List<Statement> ofVersion(String version) throws IOException {
        List<Statement> statements = new ArrayList<>();
        for (String[] line : lines(version + ".tsv", 3)) {
            statements.add(new Statement(line[0], Bound.valueOf(line[1].toUpperCase(Locale.ROOT)), line[2]));
        }
        return statements;
    }

    /** Ids of statements whose feature is not there yet, with its name. */
    static Map<String, String> pending() throws IOException {
        Map<String, String> pending = new LinkedHashMap<>();
        for (String[] line : lines("pending.tsv", 2)) {
            pending.put(line[0], line[1]);
        }
        return pending;
    }

    private static List<String[]> lines(String resource, int columns) throws IOException {
        List<String[]> lines = new ArrayList<>();
        try (InputStream in = Statement.class.getResourceAsStream("/conformance/" + resource)) {
            BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] parts = line.split("\t", -1);
                if (parts.length != columns) {
                    throw new IOException(resource + ": a line must have " + columns + " columns: " + line);
                }
                lines.add(parts);
            }
        }
        return lines;
    }
}
