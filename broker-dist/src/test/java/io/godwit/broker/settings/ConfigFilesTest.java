package io.godwit.broker.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files in the repository equal those generated from the records. CONTRIBUTING.md says how to update them. */
class ConfigFilesTest {
    private static final Path ROOT =
            Path.of(System.getProperty("user.dir")).toAbsolutePath().getParent();

    @Test
    void theFileThatShipsIsWrittenFromTheRecords() throws IOException {
        assertWritten("conf/standalone.yml", ConfigFiles.file());
    }

    @Test
    void theReferencePageIsWrittenFromTheRecords() throws IOException {
        assertWritten("docs/configuration.md", ConfigFiles.page());
    }

    /** Messages and documents name keys by their paths, and only this test checks that they exist. */
    @Test
    void keysThatCodeAndDocumentsNameAreThere() throws IOException {
        Set<String> valid = new HashSet<>();
        Matcher stated = Pattern.compile("(?m)^\\*\\*`([^`]+)`\\*\\*").matcher(ConfigFiles.page());
        while (stated.find()) {
            String path = stated.group(1);
            valid.add(path);
            for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
                valid.add(path.substring(0, dot));
            }
        }
        String sections =
                "mqttServer|tenant|session|memory|ban|auth|topic|cluster|redirect|store|subBroker|apiServer|otlp"
                        + "|plugin";
        Pattern named = Pattern.compile("\\b(?:" + sections + ")Config(?:\\.[A-Za-z0-9]+)+");
        List<String> unknown = new ArrayList<>();
        int found = 0;
        for (Path file : files()) {
            Matcher name = named.matcher(Files.readString(file));
            while (name.find()) {
                found++;
                if (!valid.contains(name.group())) {
                    unknown.add(ROOT.relativize(file) + ": " + name.group());
                }
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(found).isGreaterThan(100);
    }

    private static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("ARCHITECTURE.md")));
        for (String directory :
                List.of("docs", "bin", "broker-dist/src/main", "mqtt-server/src/main", "api-server/src/main")) {
            try (Stream<Path> all = Files.walk(ROOT.resolve(directory))) {
                all.filter(Files::isRegularFile)
                        .filter(file -> file.toString().matches(".*(\\.java|\\.md|\\.sh)"))
                        .filter(file -> !file.toString().contains("/conversion/")) // keys of other brokers
                        .forEach(files::add);
            }
        }
        return files;
    }

    private static void assertWritten(String name, String text) throws IOException {
        Path file = ROOT.resolve(name);
        if (System.getProperty("godwit.config.write") != null) {
            Files.writeString(file, text);
        }
        assertThat(text.lines()).allMatch(line -> line.length() <= 120);
        assertThat(file).hasContent(text);
    }
}
