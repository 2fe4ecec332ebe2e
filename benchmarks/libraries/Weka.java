// Grow one J48 tree and say how long it took. Called by weka.py:
//   java -cp weka.jar Weka.java <folder> <rows in a leaf>
// In the folder: table.arff, the class last. Out: a line of JSON.

import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import weka.classifiers.trees.J48;
import weka.core.Instances;

public class Weka {
    static J48 grow(Instances table, int leaf) throws Exception {
        J48 model = new J48();
        model.setMinNumObj(leaf);
        model.buildClassifier(table);
        return model;
    }

    public static void main(String[] words) throws Exception {
        Instances table = new Instances(new BufferedReader(new FileReader(words[0] + "/table.arff")));
        table.setClassIndex(table.numAttributes() - 1);
        int leaf = Integer.parseInt(words[1]);
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        // The virtual machine compiles what runs often: a tree is grown until that has happened.
        long end = clock.getCurrentThreadCpuTime() + 1_000_000_000L;
        long cpu = Long.MAX_VALUE;
        long wall = Long.MAX_VALUE;
        J48 model = null;
        do {
            long wallStart = System.nanoTime();
            long cpuStart = clock.getCurrentThreadCpuTime();
            model = grow(table, leaf);
            cpu = Math.min(cpu, clock.getCurrentThreadCpuTime() - cpuStart);
            wall = Math.min(wall, System.nanoTime() - wallStart);
        } while (clock.getCurrentThreadCpuTime() < end);
        System.out.printf("{\"cpu\": %.9f, \"wall\": %.9f, \"n_leaves\": %d}%n", cpu / 1e9, wall / 1e9,
            (int) model.measureNumLeaves());
    }
}
