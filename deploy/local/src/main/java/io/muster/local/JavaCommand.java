package io.muster.local;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** How to start another JVM like this one, on the same class path or on the agent's small part of it. */
record JavaCommand(Path java, List<String> classPath) {

    private static final Pattern AGENT_JARS =
            Pattern.compile("muster-(node-agent|contracts)-.*|jackson-.*|slf4j-(api|jdk14)-.*|jspecify-.*");
    private static final Pattern AGENT_FOLDERS = Pattern.compile(".*/(node-agent|contracts)/target/classes/?");

    private static final List<String> LOGGING_FLAGS = List.of(
            "-Dlogback.configurationFile=io/muster/local/logback.xml",
            "-Dorg.springframework.boot.logging.LoggingSystem=none");

    /** Small: about 55 MB a process, measured idle; one line a log record. */
    private static final List<String> AGENT_FLAGS = List.of(
            "-Xms8m",
            "-Xss512k",
            "-XX:MaxMetaspaceSize=64m",
            "-XX:ReservedCodeCacheSize=24m",
            "-Djava.util.logging.SimpleFormatter.format=%1$tFT%1$tT.%1$tL%1$tz %4$s %3$s %5$s%6$s%n");

    static JavaCommand ofThisJvm() {
        return new JavaCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                Arrays.asList(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator), -1)));
    }

    List<String> command(int heapMegabytes, String mainClass, String... arguments) {
        List<String> command = command(heapMegabytes, classPath, mainClass, arguments);
        command.addAll(1, LOGGING_FLAGS);
        return command;
    }

    /** The agent sees no service and no Spring. */
    List<String> agentCommand(int heapMegabytes, String mainClass) {
        List<String> command = command(
                heapMegabytes, classPath.stream().filter(JavaCommand::isAgents).toList(), mainClass);
        command.addAll(1, AGENT_FLAGS);
        return command;
    }

    private static boolean isAgents(String entry) {
        return AGENT_FOLDERS.matcher(entry).matches()
                || AGENT_JARS.matcher(Path.of(entry).getFileName().toString()).matches();
    }

    private List<String> command(int heapMegabytes, List<String> path, String mainClass, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                java.toString(),
                "-Xmx" + heapMegabytes + "m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseCompactObjectHeaders",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                String.join(File.pathSeparator, path),
                mainClass));
        command.addAll(List.of(arguments));
        return command;
    }
}
