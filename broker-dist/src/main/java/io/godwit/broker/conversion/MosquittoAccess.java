package io.godwit.broker.conversion;

import io.godwit.broker.auth.AuthLines;
import io.godwit.broker.conversion.Note.Outcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts mosquitto's users and rules. If all lines of its password file are valid, the file is used as it is;
 * otherwise the valid lines are copied. Rules become a file of ours, in the order of mosquitto's precedence: rules of a
 * user before rules for all, and in both the denials first; what no rule allows is denied. For one thread.
 */
final class MosquittoAccess {
    private static final String USERS = "passwd";
    private static final String RULES = "acl";
    private static final Set<String> ACCESS = Set.of("read", "write", "readwrite", "deny");

    private final Target target;
    private final Path conf;

    private final List<String> userDenials = new ArrayList<>();
    private final List<String> userRules = new ArrayList<>();
    private final List<String> denials = new ArrayList<>();
    private final List<String> rules = new ArrayList<>();
    /** Subjects of denials that cannot be converted; they are denied everything. */
    private final Set<String> shutOut = new LinkedHashSet<>();

    private boolean deniesAnonymous;

    /** @param conf the configuration file; relative file names are resolved against its directory */
    MosquittoAccess(Target target, Path conf) {
        this.target = target;
        this.conf = conf;
    }

    /** The path of a file name in the configuration file. */
    Path resolved(String name) {
        return conf.toAbsolutePath().resolveSibling(name).normalize();
    }

    /** @param file null for none: clients present certificates */
    void users(@Nullable Path file, int line) {
        target.set("authConfig.provider", "file");
        if (file == null) {
            target.set("authConfig.file", USERS);
            target.beside(USERS, "");
            return;
        }
        String text;
        try {
            text = SourceText.read(file);
        } catch (ConversionException e) {
            copied("", line, e.getMessage() + "; until then nobody can log in: bin/godwit-passwd add NAME");
            return;
        }
        StringBuilder good = new StringBuilder();
        int number = 0;
        int bad = 0;
        for (String each : text.lines().toList()) {
            number++;
            if (each.isBlank() || each.startsWith("#")) {
                continue;
            }
            String wrong = AuthLines.wrongUser(each);
            if (wrong.isEmpty()) {
                good.append(each).append('\n');
            } else {
                bad++;
                int colon = each.indexOf(':');
                target.leaveOut(
                        line,
                        "password_file",
                        "line " + number + " of " + file + (colon > 0 ? ", the user " + each.substring(0, colon) : "")
                                + ": " + wrong + "; make that user again: bin/godwit-passwd add NAME");
            }
        }
        if (bad == 0) {
            target.take(line, "password_file", "authConfig.file", file.toString());
        } else {
            copied(good.toString(), line, "has the users of " + file + " that can be taken over");
        }
    }

    private void copied(String text, int line, String why) {
        target.set("authConfig.file", USERS);
        target.beside(USERS, text);
        target.note(line, "password_file", Outcome.TO_DO, "authConfig.file: " + USERS + ", which " + why);
    }

    void rules(Path file, int line) {
        target.set("authConfig.aclFile", RULES);
        try {
            String user = null;
            int number = 0;
            for (String each : SourceText.read(file).lines().toList()) {
                number++;
                String stripped = each.strip();
                if (stripped.isEmpty() || stripped.startsWith("#")) {
                    continue;
                }
                String[] words = stripped.split("\\s+", 2);
                if (words[0].equals("user") && words.length == 2) {
                    user = words[1];
                } else {
                    rule(words, user, line, "line " + number + " of " + file);
                }
            }
        } catch (ConversionException e) {
            target.note(line, "acl_file", Outcome.TO_DO, e.getMessage() + "; until then nobody may do anything");
        }
        target.beside(RULES, text(file));
        target.note(
                line,
                "acl_file",
                Outcome.CHANGED,
                "authConfig.aclFile: " + RULES + "; a subscription has to be allowed as a whole, where mosquitto"
                        + " lets it in and holds messages back");
    }

    /** Whether a rule that cannot be converted denies something to clients without a user name. */
    boolean deniesAnonymous() {
        return deniesAnonymous;
    }

    /** @param user null before the first one */
    private void rule(String[] words, @Nullable String user, int line, String place) {
        boolean isPattern = words[0].equals("pattern");
        if (!isPattern && !words[0].equals("topic") || words.length < 2) {
            target.leaveOut(line, "acl_file", place + ": is not a rule");
            return;
        }
        String[] parts = words[1].split("\\s+", 2);
        boolean isSaid = parts.length == 2 && ACCESS.contains(parts[0]);
        String access = isSaid ? parts[0] : "readwrite";
        String filter = isSaid ? parts[1] : words[1];
        if (!isPattern && user == null) {
            deniesAnonymous |= access.equals("deny");
            target.leaveOut(line, "acl_file", place + ": there are no rules about clients without a user name alone");
            return;
        }
        String whom = isPattern || user == null ? "all" : "user " + quoted(user);
        String what = quoted(isPattern ? filter : filter.replace("%", "%%"));
        String action = access.equals("read") ? "subscribe" : access.equals("write") ? "publish" : "all";
        boolean isDenial = access.equals("deny");
        String written = (isDenial ? "deny " : "allow ") + action + " " + whom + " " + what;
        String wrong = AuthLines.wrongRule(written);
        if (!wrong.isEmpty() || written.chars().anyMatch(Character::isISOControl)) {
            target.leaveOut(line, "acl_file", place + ": " + (wrong.isEmpty() ? "has control characters" : wrong));
            if (isDenial) {
                shutOut.add(whom);
            }
        } else if (isPattern) {
            (isDenial ? denials : rules).add(written);
        } else {
            (isDenial ? userDenials : userRules).add(written);
        }
    }

    private static String quoted(String word) {
        return "\"" + word.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private String text(Path file) {
        StringBuilder text = new StringBuilder("# Made of " + file.getFileName() + " of mosquitto.\n");
        for (String whom : shutOut) {
            String rule = "deny all " + whom + " \"#\"";
            if (AuthLines.wrongRule(rule).isEmpty() && rule.chars().noneMatch(Character::isISOControl)) {
                text.append(rule).append('\n');
            }
        }
        for (List<String> each : List.of(userDenials, userRules, denials, rules)) {
            each.forEach(rule -> text.append(rule).append('\n'));
        }
        return text.toString();
    }
}
