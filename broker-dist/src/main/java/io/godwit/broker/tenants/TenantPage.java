package io.godwit.broker.tenants;

import io.godwit.plugin.tenant.TenantSetting;
import java.util.ArrayList;
import java.util.List;

/** Writes the table of docs/tenants.md. */
public final class TenantPage {
    private static final String BEGIN = "<!-- begin of the settings: written by TenantPageTest -->";
    private static final String END = "<!-- end of the settings -->";

    private TenantPage() {}

    /** The page with the current table. */
    public static String with(String page) {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("the page has no place for the table");
        }
        return page.substring(0, begin + BEGIN.length()) + "\n\n" + table() + "\n" + page.substring(end);
    }

    private static String table() {
        List<String> lines = new ArrayList<>();
        lines.add("| setting | default | values | a change is for | meaning |");
        lines.add("|---|---|---|---|---|");
        for (TenantSetting each : TenantSetting.values()) {
            lines.add(String.join(
                    " | ",
                    "| `" + each.key() + "`",
                    each.nodeKey().isEmpty()
                            ? "`" + each.text(each.defaultValue()) + "`"
                            : "that of `" + each.nodeKey() + "`",
                    each.valid(),
                    switch (each.reach()) {
                        case CONNECTED -> "connected clients too";
                        case NEXT_CONNECT -> "the next CONNECT";
                    },
                    each.meaning() + " |"));
        }
        return String.join("\n", lines) + "\n";
    }
}
