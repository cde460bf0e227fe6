package io.godwit.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.balance.policy.ShippedBalancers;
import io.godwit.kv.balance.policy.ShippedHinters;
import io.godwit.testing.DocumentPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of settings in {@code docs/cluster.md} has each setting of the shipped balancers, with its default. */
class PageBalancersTest {
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `([A-Za-z]+)` \\| [^|]+ \\| ([^|]+) \\| ([^|]+) \\| [^|]+ \\|$");

    /**
     * A row of the table.
     *
     * @param byDefault a value; where a balancer has another one, followed by {@code ; `balancer` value}
     * @param of names, or {@code all}
     */
    private record Row(String setting, String byDefault, String of) {
        boolean isOf(String name) {
            return of.equals("all") || of.contains("`" + name + "`");
        }

        String valueOf(String name) {
            String own = "; `" + name + "` ";
            int at = byDefault.indexOf(own);
            return at < 0 ? byDefault.replaceFirst(";.*", "") : byDefault.substring(at + own.length());
        }
    }

    @Test
    void theTableHasTheSettingsOfTheBalancers() throws IOException {
        Map<String, Map<String, String>> defaults = new TreeMap<>();
        ShippedBalancers.ALL.forEach(balancer -> defaults.put(balancer.name(), balancer.defaults()));
        ShippedHinters.ALL.forEach(hinter -> defaults.put(hinter.name(), hinter.defaults()));
        List<Row> rows = ROW.matcher(DocumentPage.read("docs/cluster.md").text())
                .results()
                .map(found -> new Row(found.group(1), found.group(2), found.group(3)))
                .toList();
        List<Row> left = new ArrayList<>(rows);
        defaults.forEach((name, settings) -> settings.forEach((setting, value) -> {
            List<Row> found = rows.stream()
                    .filter(row -> row.setting().equals(setting) && row.isOf(name))
                    .toList();
            assertThat(found).as("%s of %s", setting, name).hasSize(1);
            assertThat(found.get(0).valueOf(name)).as("%s of %s", setting, name).isEqualTo(value);
            left.removeAll(found);
        }));

        assertThat(left).as("settings that no balancer has").isEmpty();
        assertThat(rows).hasSizeGreaterThan(15);
    }
}
