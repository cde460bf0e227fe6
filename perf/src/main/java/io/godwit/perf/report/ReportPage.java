package io.godwit.perf.report;

import java.util.List;

/** The frame of the HTML reports, which are single files without references to others. */
final class ReportPage {
    private static final String STYLE = """
            :root { color-scheme: light; --ink: #1f2328; --dim: #59636e; --rule: #d8dee4; --ground: #f6f8fa; }
            * { box-sizing: border-box; }
            body { margin: 0; font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: \
            var(--ink); background: var(--ground); }
            main { max-width: 1320px; margin: 0 auto; padding: 28px 24px 60px; }
            h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 34px 0 10px; }
            p.sub { margin: 0 0 14px; color: var(--dim); }
            .verdict { border-radius: 8px; padding: 12px 16px; margin: 16px 0; border: 1px solid; }
            .good { background: #e9f7ef; border-color: #8fd3ac; } .bad { background: #fdecea; border-color: #f0a8a0; }
            .warn { background: #fff6e0; border-color: #e8cc82; }
            .verdict ul { margin: 4px 0 0; padding-left: 20px; }
            .card { background: #fff; border: 1px solid var(--rule); border-radius: 8px; padding: 12px 14px; }
            .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(520px, 1fr)); gap: 16px; }
            .charts svg { width: 100%; height: auto; display: block; }
            .scroll { overflow-x: auto; }
            table { border-collapse: collapse; font-size: 13.5px; width: 100%; background: #fff; }
            th, td { padding: 6px 10px; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
            th { color: var(--dim); font-weight: 600; white-space: normal; vertical-align: bottom; }
            th:first-child, td:first-child, th.text, td.text { text-align: left; }
            tr.ours td { background: #eef5ff; font-weight: 600; }
            tr.failed td { background: #fdecea; }
            ul.facts { margin: 0; padding-left: 20px; } ul.facts li { margin: 2px 0; }
            svg text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--ink); }
            svg .title { font-size: 14px; font-weight: 600; } svg .tick { fill: var(--dim); font-size: 11px; }
            svg .legend { font-weight: 600; }
            svg .grid { stroke: var(--rule); stroke-width: 1; } svg .line { fill: none; stroke-width: 1.8; \
            stroke-linejoin: round; }
            svg .measured { fill: #eaf1fb; }
            """;

    private ReportPage() {}

    static String of(String title, String body) {
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
                <title>%s</title>
                <style>
                %s</style></head>
                <body><main>
                %s
                </main></body></html>
                """.formatted(SvgChart.escape(title), STYLE, body);
    }

    static String list(List<String> items) {
        StringBuilder list = new StringBuilder("<ul class=\"facts\">");
        items.forEach(item -> list.append("<li>").append(SvgChart.escape(item)).append("</li>"));
        return list.append("</ul>").toString();
    }

    /** A table row with a cell for each text. */
    static String row(String htmlClass, String tag, List<String> cells) {
        StringBuilder row = new StringBuilder(htmlClass.isEmpty() ? "<tr>" : "<tr class=\"" + htmlClass + "\">");
        cells.forEach(cell -> row.append('<')
                .append(tag)
                .append('>')
                .append(SvgChart.escape(cell))
                .append("</")
                .append(tag)
                .append('>'));
        return row.append("</tr>\n").toString();
    }
}
