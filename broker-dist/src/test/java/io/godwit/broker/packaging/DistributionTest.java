package io.godwit.broker.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * The distribution contains files of {@code conf} only by their names, and so never users and keys of the one who
 * builds it.
 */
class DistributionTest {
    @ParameterizedTest
    @ValueSource(strings = {"directory.xml", "archive.xml"})
    void theConfigurationIsPackedByName(String descriptor) throws Exception {
        Document assembly = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("src", "main", "assembly", descriptor).toFile());
        NodeList sets = assembly.getElementsByTagName("fileSet");
        int found = 0;
        for (int i = 0; i < sets.getLength(); i++) {
            Element set = (Element) sets.item(i);
            if (texts(set, "outputDirectory").equals(List.of("conf"))) {
                found++;
                assertThat(texts(set, "include"))
                        .containsExactly(
                                "acl",
                                "logback.xml",
                                "metrics/alerts.yml",
                                "metrics/grafana.json",
                                "metrics/prometheus.yml",
                                "standalone.yml");
                assertThat(texts(set, "include"))
                        .allSatisfy(
                                file -> assertThat(Path.of("..", "conf", file)).isRegularFile());
            } else if (texts(set, "include").isEmpty()
                    && texts(set, "outputDirectory").equals(List.of("."))) {
                assertThat(texts(set, "exclude")).contains("conf/**");
            }
        }
        assertThat(found).isOne();
    }

    /** A broker that is started from the directory of the distribution has its data, log and plugins there. */
    @Test
    void theArchiveHasNothingThatAStartLeft() throws Exception {
        NodeList sets = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("src", "main", "assembly", "archive.xml").toFile())
                .getElementsByTagName("fileSet");
        int found = 0;
        for (int i = 0; i < sets.getLength(); i++) {
            Element set = (Element) sets.item(i);
            if (texts(set, "outputDirectory").equals(List.of("."))) {
                found++;
                assertThat(texts(set, "include"))
                        .containsExactly(
                                "ARCHITECTURE.md",
                                "CHANGELOG.md",
                                "CONTRIBUTING.md",
                                "LICENSE",
                                "NOTICE",
                                "README.md",
                                "SECURITY.md",
                                "docs/**",
                                "lib/**",
                                "plugins");
            }
        }
        assertThat(found).isOne();
    }

    private static List<String> texts(Element parent, String tag) {
        List<String> texts = new ArrayList<>();
        NodeList found = parent.getElementsByTagName(tag);
        for (int i = 0; i < found.getLength(); i++) {
            texts.add(found.item(i).getTextContent().strip());
        }
        return texts;
    }
}
